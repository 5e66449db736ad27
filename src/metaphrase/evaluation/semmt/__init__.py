"""SemMT: what is learnt from labelled data, and the paper's tables."""
