"""Writes what changes to a comment on the pull request, or to the comment that an earlier run wrote.

That comment is the one whose first line is a marker with the name of the listing, and whose author is the account of the
token. Comments of people, of other workflows and on other listings stay as they are.
"""
import hashlib
import json
import os
import pathlib
import sys
import urllib.error
import urllib.request

COMMENTS = """
query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      id
      comments(first: 100, after: $after) {
        nodes { id body viewerDidAuthor }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}
"""
ADD = "mutation($id: ID!, $body: String!) { addComment(input: {subjectId: $id, body: $body}) { clientMutationId } }"
UPDATE = "mutation($id: ID!, $body: String!) { updateIssueComment(input: {id: $id, body: $body}) { clientMutationId } }"


def ask(query, **variables):
    request = urllib.request.Request(
        os.environ["GITHUB_GRAPHQL_URL"],
        json.dumps({"query": query, "variables": variables}).encode(),
        {"Authorization": f"Bearer {os.environ['TOKEN']}", "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            answer = json.load(response)
    except (urllib.error.URLError, TimeoutError, ValueError) as error:
        sys.exit(f"::error::the comment cannot be written: {error}")
    if answer.get("errors"):
        messages = "; ".join(str(error.get("message")) for error in answer["errors"])
        hint = "does the job have the permission `pull-requests: write`?"
        sys.exit(f"::error::the comment cannot be written: {messages.splitlines()[0]}; {hint}")
    return answer["data"]


def earlier(marker):
    """The pull request, and the comment of an earlier run if there is one."""
    owner, name = os.environ["GITHUB_REPOSITORY"].split("/", 1)
    after = None
    while True:
        data = ask(COMMENTS, owner=owner, name=name, number=int(os.environ["NUMBER"]), after=after)
        pull_request = data["repository"]["pullRequest"]
        for comment in pull_request["comments"]["nodes"]:
            if comment["viewerDidAuthor"] and comment["body"].splitlines()[:1] == [marker]:
                return pull_request["id"], comment["id"]
        page = pull_request["comments"]["pageInfo"]
        if not page["hasNextPage"]:
            return pull_request["id"], None
        after = page["endCursor"]


# A hash, because a path may have characters that end an HTML comment.
listing = hashlib.sha256(os.environ["LISTING"].encode()).hexdigest()[:16]
marker = f"<!-- toolsure diff {listing} -->"
body = f"{marker}\n{pathlib.Path(os.environ['COMMENT']).read_text(encoding='utf-8')}"
pull_request, comment = earlier(marker)
if comment is None:
    ask(ADD, id=pull_request, body=body)
else:
    ask(UPDATE, id=comment, body=body)
