"""The relation `dcs`: the translations of one sentence by two or more engines, compared part by part."""
