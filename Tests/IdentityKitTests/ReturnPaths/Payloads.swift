/// Known open-redirect payloads by class, each in several encodings.
enum Payloads {
    static var all: [String] { classes + long }

    private static let classes: [String] = [
        // Empty, or not a path.
        "", " ", "account", "evil.example", ".", "..", "?", "#", "?next=/", "@evil.example", ";@evil.example",
        ".evil.example",
        // Another host through slashes, backslashes and characters that browsers treat as slashes.
        "//evil.example", "///evil.example", "////evil.example/%2f..", "/\\evil.example", "\\/evil.example",
        "\\\\evil.example",
        "/\\/evil.example", "/\\\\evil.example", "\\evil.example", "//\\evil.example", "/a\\..\\evil", "//",
        "/a//evil.example", "//@evil.example",
        "//shop.example@evil.example", "///shop.example@evil.example",
        // Characters that browsers remove or trim.
        "/\t/evil.example", "/\r/evil.example", "/\n/evil.example", "/\r\n/evil.example", "\t//evil.example",
        " //evil.example",
        "/\0/evil.example", "\0//evil.example", "\u{1}//evil.example", "/\u{B}/evil.example", "/\u{7F}/evil.example",
        "/a\r\nLocation: /b",
        "/a\r\nSet-Cookie: a=b", "/ /evil.example", "//\tevil.example", "ht\ttps://evil.example",
        "java\tscript:alert(1)", "/a ",
        // Slashes, backslashes and control characters: percent-encoded, encoded twice, and malformed.
        "/%2f/evil.example", "/%2f%2fevil.example", "%2f%2fevil.example", "/%2Fevil.example", "/%5cevil.example",
        "/%5C%5Cevil.example",
        "%5cevil.example", "/%09/evil.example", "/%0d/evil.example", "/%0a/evil.example",
        "/%0d%0aLocation:%20//evil.example",
        "/%00/evil.example", "/%01//evil.example", "/%7f/evil.example", "/%252fevil.example", "/%255cevil.example",
        "/%2509/evil.example",
        "/a?b=%0d%0aSet-Cookie:c", "/a?b=%00", "/a#%0a", "/%", "/%2", "/%zz", "/%u2215evil.example", "/a?%", "/a#%g0",
        "/%c0%af/evil.example",
        "/%c0%afevil.example", "/%e0%80%afevil.example", "/%c1%9cevil.example", "/%ff", "/%25", "/%e2%80",
        // Dot segments whose removal leaves two slashes, or that go above the root.
        "/.//evil.example", "/..//evil.example", "/../evil.example", "/./%2e//evil.example", "/a/..//evil.example",
        "/%2e%2e//evil.example",
        "/a/%2e%2e//evil.example", "/a/../..//evil.example", "/.%2e/evil.example", "/./\\evil.example",
        "/.%09./evil.example", "/a/b/../../../c",
        // User information before the host.
        "https://shop.example@evil.example/", "https://shop.example:443@evil.example/",
        "https://shop.example%40evil.example/",
        "https://shop.example%2f@evil.example/", "https://shop.example\\@evil.example/",
        "https://evil.example\\@shop.example/",
        "https://@shop.example/", "https://:@shop.example/", "https://user:password@shop.example/",
        "https://evil.example;@shop.example/",
        "https://shop.example;@evil.example/", "https://shop.example?@evil.example/\\",
        "https://evil.example%00.shop.example/",
        // Malformed absolute URLs, other schemes, and schemes that execute code.
        "https:evil.example", "https:/evil.example", "https:///evil.example", "https:\\\\evil.example",
        "https:shop.example",
        "https:/shop.example", "http:evil.example", "http://shop.example/", "https://evil.example",
        "HTTPS://EVIL.EXAMPLE/", "://evil.example",
        ":evil.example", "https://", "https://?", "https://#", "javascript:alert(1)", "JaVaScRiPt:alert(1)",
        "javascript://shop.example/%0aalert(1)",
        " javascript:alert(1)", "\u{1}javascript:alert(1)", "data:text/html,x", "data:text/html;base64,PHNjcmlwdD4=",
        "vbscript:x", "file:///etc/passwd",
        "blob:https://shop.example/x", "about:blank", "ftp://shop.example/", "wss://shop.example/",
        "mailto:a@shop.example", "intent://shop.example#Intent;end",
        "view-source:https://shop.example/", "shop.example", "shop.example/", "https;//shop.example",
        // Hosts that look like the app's.
        "https://shop.example.evil.example/", "https://evilshop.example/", "https://shop.example.",
        "https://shop.example:8443/", "https://shop.example:/",
        "https://shop.example:65979/", "https://shop.example:443:80/", "https://SHOP.EXAMPLE.EVIL/",
        "https://shop.examplе/",
        "https://shop\u{2024}example/", "https://shop\u{3002}example/", "https://shop\u{FF0E}example/",
        "https://\u{FF53}hop.example/", "https://shop.ex\u{AD}ample/",
        "https://shop.example\u{200B}/", "https://shop.example\u{2044}@evil.example",
        "https://shop.example\u{2100}.evil.example",
        // Unicode characters that look like slashes and dots.
        "/\u{2044}evil.example", "/\u{2215}evil.example", "/\u{FF0F}evil.example", "/\u{FF3C}evil.example",
        "\u{FF0F}\u{FF0F}evil.example", "/\u{3002}\u{3002}/evil",
        "/\u{FF0E}\u{FF0E}/evil.example", "/\u{2028}/evil.example", "/\u{A0}/evil.example", "\u{FEFF}//evil.example",
        "/\u{301}/evil.example", "/e\u{301}",
        "/%ef%bc%8fevil.example", "/%E2%81%84evil.example", "/%e2%88%95evil.example", "/%ef%bc%bcevil.example",
        "/%EF%B9%A8evil.example",
        // IP addresses.
        "//[::1]/", "//[::ffff:127.0.0.1]", "https://[::1]/", "https://[::ffff:203.0.113.1]/",
        "https://[shop.example]/", "https://[v1.shop.example]/",
        "https://[::1]@shop.example/", "https://127.0.0.1/", "https://2130706433/", "https://0x7f000001/",
        "https://0177.0.0.1/", "https://127.1/", "//127.1",
        // Markup, for pages that print the text.
        "/\"><script>", "/<a>", "/a?\"onload=x", "/{a}", "/`a`", "/a|b", "/a^b", "/a?b=<c>", "/a#<c>", "/[a]", "/a#b#c",
        "https://shop.example/#a\\b",
    ]

    private static let long: [String] = [
        "/" + String(repeating: "a", count: 2048), "/" + String(repeating: "../", count: 100_000),
        String(repeating: "/", count: 1_000_000),
        "/" + String(repeating: "%41", count: 700), "https://shop.example/" + String(repeating: "a", count: 2048),
        "/a" + String(repeating: "\u{301}", count: 10_000), "/?" + String(repeating: "a", count: 2047),
        // With the slash after its host, this URL has 2049 bytes.
        "https://shop.example?" + String(repeating: "a", count: 2027),
    ]
}
