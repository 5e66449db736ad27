"""Repair: from a violated case to a better translation, and the proof that it is better."""
