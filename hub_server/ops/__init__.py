"""Endpoints for operators and monitoring: discovery, health, metrics."""
