"""Starts published MCP servers and saves their listings, for `lint_listings` to lint.

    python3 bench/live_servers.py TOOLSURE FOLDER

Each package of the list below is installed with npm into FOLDER/packages, without install scripts, and started over
stdio by `TOOLSURE check --save`, with invented credentials and an empty home directory. A server has 60 seconds to
answer. Listings go to FOLDER/listings; a line for each package says how it ended. Packages that are installed already
are not installed again. None of these servers is in ../shared/corpus.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys

# A package, then the arguments without which it does not start.
PACKAGES = """
@a-bonus/google-docs-mcp
@aashari/mcp-server-atlassian-bitbucket
@allpepper/memory-bank-mcp
@apify/actors-mcp-server
@ark-ui/mcp
@atlassian-dc-mcp/jira
@auth0/auth0-mcp-server run
@baidumap/mcp-server-baidu-map
@baruchiro/paperless-mcp http://localhost:1 token
@benborla29/mcp-server-mysql
@browserstack/mcp-server
@chakra-ui/react-mcp
@circleci/mcp-server-circleci
@cloudbase/cloudbase-mcp
@coingecko/coingecko-mcp
@currents/mcp
@cyanheads/pubmed-mcp-server
@danielsogl/lighthouse-mcp
@elastic/mcp-server-elasticsearch
@ergut/mcp-bigquery-server --project-id example
@gleanwork/local-mcp-server
@heroku/mcp-server
@heroui/react-mcp
@henkey/postgres-mcp-server
@infisical/mcp
@iterable/mcp
@ivotoby/contentful-management-mcp-server
@line/line-bot-mcp-server
@llmindset/hf-mcp-server
@makeplane/plane-mcp-server
@mantine/mcp-server
@mapbox/mcp-server
@microsoft/clarity-mcp-server
@modelcontextprotocol/server-everything
@modelcontextprotocol/server-github
@modelcontextprotocol/server-gitlab
@modelcontextprotocol/server-google-maps
@modelcontextprotocol/server-slack
@mondaydotcomorg/monday-api-mcp -t token
@mongodb-js/mongodb-mcp-server
@mui/mcp
@neondatabase/mcp-server-neon start key
@netlify/mcp
@notionhq/notion-mcp-server
@openbnb/mcp-server-airbnb
@paddle/paddle-mcp --api-key=key --environment=sandbox
@postman/postman-mcp-server --full
@primevue/mcp
@qase/mcp-server
@railway/mcp-server
@roychri/mcp-server-asana
@salesforce/mcp --orgs DEFAULT_TARGET_ORG --toolsets all
@sanity/mcp-server
@softeria/ms-365-mcp-server
@storybook/mcp
@supabase/mcp-server-supabase --access-token=sbp_0000000000000000000000000000000000000000
@tiberriver256/mcp-server-azure-devops
@transloadit/mcp-server
@twilio-alpha/mcp ACxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx/SKxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx:secret
@umbraco-cms/mcp-dev
@upstash/context7-mcp
@upstash/mcp-server --email a@example.com --api-key key
@vapi-ai/mcp-server
@zencoderai/slack-mcp-server
chrome-devtools-mcp
claude-talk-to-figma-mcp
figma-developer-mcp --stdio --figma-api-key key
mcp-server-docker
snyk mcp -t stdio
""".split("\n")

# Names of variables that such servers read. The values are invented.
NAMES = """
API_KEY API_TOKEN ACCESS_TOKEN TOKEN GITHUB_PERSONAL_ACCESS_TOKEN GITLAB_PERSONAL_ACCESS_TOKEN APIFY_TOKEN NOTION_TOKEN
BROWSERSTACK_USERNAME BROWSERSTACK_ACCESS_KEY CIRCLECI_TOKEN GLEAN_INSTANCE GLEAN_API_TOKEN BAIDU_MAP_API_KEY
GOOGLE_MAPS_API_KEY SLACK_BOT_TOKEN SLACK_TEAM_ID CHANNEL_ACCESS_TOKEN POSTMAN_API_KEY QASE_API_TOKEN ASANA_ACCESS_TOKEN
SANITY_PROJECT_ID SANITY_DATASET SANITY_API_TOKEN AZURE_DEVOPS_PAT AZURE_DEVOPS_AUTH_METHOD VAPI_TOKEN PLANE_API_KEY
PLANE_WORKSPACE_SLUG HEROKU_API_KEY CURRENTS_API_KEY ITERABLE_API_KEY INFISICAL_UNIVERSAL_AUTH_CLIENT_ID
INFISICAL_UNIVERSAL_AUTH_CLIENT_SECRET CONTENTFUL_MANAGEMENT_ACCESS_TOKEN SPACE_ID ENVIRONMENT_ID JIRA_API_TOKEN
ES_API_KEY CLARITY_API_TOKEN CONFLUENCE_API_TOKEN ATLASSIAN_API_TOKEN ATLASSIAN_USER_EMAIL GOOGLE_CLIENT_ID
GOOGLE_CLIENT_SECRET TRANSLOADIT_KEY TRANSLOADIT_SECRET UMBRACO_CLIENT_ID UMBRACO_CLIENT_SECRET COINGECKO_PRO_API_KEY
SNYK_TOKEN MYSQL_USER MYSQL_PASS MYSQL_DB
""".split()
URLS = {
    "ES_URL": "http://localhost:1",
    "AZURE_DEVOPS_ORG_URL": "https://dev.azure.com/example",
    "JIRA_HOST": "jira.example.com",
    "UMBRACO_BASE_URL": "http://localhost:1",
    "MDB_MCP_CONNECTION_STRING": "mongodb://localhost:1/",
    "PLANE_API_HOST_URL": "http://localhost:1",
    "MAPBOX_ACCESS_TOKEN": "pk.eyJ1IjoiZXhhbXBsZSJ9.c2lnbmF0dXJl",
    "NETLIFY_PERSONAL_ACCESS_TOKEN": "key",
    "MEMORY_BANK_ROOT": "/tmp",
    "AZURE_DEVOPS_AUTH_METHOD": "pat",
}
INSTALL_SECONDS = 240


def main() -> None:
    toolsure, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    home = folder / "home"
    for made in (home, folder / "listings", folder / "packages"):
        made.mkdir(parents=True, exist_ok=True)
    environment = {name: "key" for name in NAMES} | URLS
    environment |= {"PATH": os.environ["PATH"], "HOME": str(home), "DO_NOT_TRACK": "1", "CI": "1"}
    for line in filter(None, PACKAGES):
        package, *arguments = line.split()
        name = package.lstrip("@").replace("/", "__")
        print(f"{package}: {listing(toolsure, folder, package, name, arguments, environment)}", flush=True)


def listing(toolsure, folder, package, name, arguments, environment) -> str:
    """How the server of one package ended."""
    saved = folder / "listings" / f"{name}.json"
    if saved.exists():
        return "saved before"
    place = folder / "packages" / name
    manifest = place / "node_modules" / package / "package.json"
    if not manifest.exists():
        install = ["npm", "install", "--prefix", str(place), "--ignore-scripts", "--no-audit", "--no-fund", package]
        try:
            done = subprocess.run(install, capture_output=True, timeout=INSTALL_SECONDS)
        except subprocess.TimeoutExpired:
            done = None
        if done is None or done.returncode != 0 or not manifest.exists():
            shutil.rmtree(place, ignore_errors=True)
            return "not installed"
    described = json.loads(manifest.read_text())
    programs = described.get("bin") or {}
    if isinstance(programs, str):
        programs = {package.split("/")[-1]: programs}
    if not programs:
        return "no program"
    own = package.split("/")[-1]
    program = programs.get(own) or next(iter(programs.values()))
    command = ["node", str(manifest.parent / program), *arguments]
    asked = [str(toolsure), "check", "--timeout", "60", "--save", str(saved), "--", *command]
    try:
        done = subprocess.run(asked, env=environment, cwd=environment["HOME"], capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return "no answer"
    if not saved.exists():
        words = " ".join((done.stderr or done.stdout).split())
        return f"no listing: {words[:200]}"
    tools = json.loads(saved.read_text()).get("tools", [])
    return f"{described.get('version')}, {len(tools)} tools"


main()
