"""The hub's packages in the shape that other frameworks expect.

A framework is imported only when its adapter is used.
"""
