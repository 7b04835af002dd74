"""The endpoints of the API, by what they are about."""
