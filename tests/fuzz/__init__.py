"""Fuzzing of what reads foreign bytes: importers, HTTP, replies of models, stored files.

``python -m tests.fuzz --seconds 60`` runs every target; ``--help`` tells more. Inputs that once
broke something lie in ``found/`` and are run again by ``test_found.py``.
"""
