"""The parts of the relation `word-closure`, which other relations may use too.

`views`: a translated pair as words; `comparison`: which words of two translations have a counterpart;
`closures`: the paper's closures; `word_features`: what is known about a word without a counterpart;
`learned` and `paper`: the two scorers; `reasons`: what a verdict says.
"""
