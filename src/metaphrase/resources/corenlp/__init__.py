"""Stanford CoreNLP as a managed local server: constituency and dependency parses.

CoreNLP is licensed under the GPL (version 3 or later). It is not part of Metaphrase: it is fetched by the user and runs as a program
of its own that is spoken to over HTTP.
"""
