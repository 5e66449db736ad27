"""What sentences about quantities and logic mean: a language of expressions, its automata, a reader and rules that compare.

`regex` and `automata` are the language; `lexicon`, `grammar` and `formalizer` read sentences into it; `similarity` and `compare` say how
two meanings differ; `facts` does that for free text; `trip` says on which leg of a round trip; `released` repeats a paper's numbers.
"""
