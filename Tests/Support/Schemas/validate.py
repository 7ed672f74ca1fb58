#!/usr/bin/env python3
"""Validates GraphQL documents against schemas.

Usage: validate.py FOLDER < documents.json
       validate.py FOLDER PATTERN SWIFT

FOLDER contains introspection results as Shopify's tools write them (*.json, or compressed, *.json.gz). documents.json is an object: names of documents
and their texts. With PATTERN, the schemas are the files that match it, without the suffix, and the documents come from the generated Swift files in
the folder SWIFT. Prints one line for each fault, and at the end how many documents were checked against which schemas.
Exit status: 0 all valid, 1 faults, 2 graphql-core is missing or there are no schemas.
"""

import glob
import gzip
import json
import os
import re
import sys
import textwrap


def generated(folder: str) -> dict:
    operations, fragments = {}, {}
    for path in sorted(glob.glob(os.path.join(folder, "**", "*.swift"), recursive=True)):
        with open(path, encoding="utf-8") as file:
            code = file.read()
        for name, _, text in re.findall(r'static let `?(\w+)`? = GraphQLFragment\((#+)"""\n(.*?)\n *"""\2', code, re.DOTALL):
            fragments[name] = textwrap.dedent(text)
        found = re.search(r'text: (#+)"""\n(.*?)\n *"""\1', code, re.DOTALL)
        if found:
            names = re.search(r"^ *fragments: \[(.*)\]", code, re.MULTILINE)
            operations[os.path.basename(path)] = (textwrap.dedent(found.group(2)), names)
    return {
        name: "\n".join([text] + [fragments[word] for word in re.findall(r"\w+", names.group(1) if names else "")])
        for name, (text, names) in operations.items()
    }


def main() -> int:
    try:
        from graphql import build_client_schema, parse, validate
    except ImportError:
        print("graphql-core is not installed (pip install graphql-core)")
        return 2
    pattern = "storefront-graphql_20*" if len(sys.argv) < 4 else sys.argv[2]
    documents = generated(sys.argv[3]) if len(sys.argv) > 3 else json.load(sys.stdin)
    paths = sorted(path for suffix in (".json", ".json.gz") for path in glob.glob(os.path.join(sys.argv[1], pattern + suffix)))
    if not paths or not documents:
        print("no schemas or no documents")
        return 2
    faults = 0
    for path in paths:
        with (gzip.open if path.endswith(".gz") else open)(path) as file:
            schema = build_client_schema(json.load(file)["data"])
        for name, text in documents.items():
            for error in validate(schema, parse(text)):
                print(f"{os.path.basename(path)}: {name}: {error.message}")
                faults += 1
    names = ", ".join(os.path.basename(path) for path in paths)
    print(f"{len(documents)} documents against {len(paths)} schemas: {names}; {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
