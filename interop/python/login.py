"""The Python SDK logs in to a protected server: URL.

It reports the tools that it sees, and the resource that the server says the token is for.
"""

import asyncio
import json
import sys
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata


class Kept:
    """What a client keeps of its login."""

    tokens = None
    client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


async def main():
    url = sys.argv[1]
    granted = {}

    async def redirect(address):
        # In place of the user and the browser.
        async with httpx2.AsyncClient() as browser:
            response = await browser.get(address)
        granted.update(parse_qs(urlsplit(response.headers["location"]).query))

    async def callback():
        return AuthorizationCodeResult(code=granted["code"][0], state=granted["state"][0])

    metadata = OAuthClientMetadata(
        client_name="interop",
        redirect_uris=["http://127.0.0.1/callback"],
        grant_types=["authorization_code"],
        response_types=["code"],
        token_endpoint_auth_method="none",
    )
    auth = OAuthClientProvider(url, metadata, Kept(), redirect, callback)
    async with httpx2.AsyncClient(auth=auth, follow_redirects=True) as http:
        async with Client(streamable_http_client(url, http_client=http)) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            result = await client.call_tool("resource", {})
    print(json.dumps({"tools": tools, "resource": result.content[0].text}))


asyncio.run(main())
