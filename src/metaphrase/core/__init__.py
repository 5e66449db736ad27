"""Value types, signatures, the registry and errors. Imports nothing of ours."""
