"""Data frames from Evalstore, and experiments and datasets from data frames.
"""
