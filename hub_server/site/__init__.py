"""Every page of the hub, each with its view model beside it."""
