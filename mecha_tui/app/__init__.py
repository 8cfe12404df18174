"""The Textual application: draws pictures of servers and turns keys into actions."""
