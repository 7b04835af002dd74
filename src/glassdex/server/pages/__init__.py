"""The web inspector: pages made here, from the answers that the command line and the API give. Needs `server`."""
