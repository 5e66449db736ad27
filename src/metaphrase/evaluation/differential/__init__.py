"""Measuring and calibrating the relation `dcs`."""
