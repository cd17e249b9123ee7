"""Pure decisions: names, secrets and lifetimes, second factors, memberships."""
