internal import IdentityHTTP
internal import IdentityLoopback

/// The pages that the buyer's browser shows after the redirect; they contain no data from the request.
enum CallbackPage {
    static let received = page(
        200,
        "✓",
        title: "You can close this window",
        text: "The sign-in continues in the app that opened this page."
    )
    static let refused = page(
        200,
        "!",
        title: "Sign-in was not completed",
        text: "You can close this window. The app that opened it can tell you why."
    )
    static let signedOut = page(200, "✓", title: "You are signed out", text: close)
    static let noResponse = page(
        400,
        "?",
        title: "The provider's response is missing",
        text: "The browser opened this page without the provider's response. Go back to the app and start again."
    )
    static let notThisLogin = page(
        400,
        "?",
        title: "This is not the current sign-in",
        text: "It may be an earlier sign-in. Go back to the app and use the page that the app opened last."
    )
    static let alreadyAnswered = page(409, "–", title: "This sign-in has already ended", text: close)
    static let alreadySignedOut = page(409, "–", title: "This sign-out is already complete", text: close)
    private static let close = "You can close this window."
    static let notFound = LoopbackResponse.message(status: 404, headers: safe)
    static let noForm = LoopbackResponse.message(status: 415, headers: safe)

    /// HEAD gets this response, too: programs send HEAD to test links (RFC 9110 section 9.3.2), so a HEAD request must not end the wait.
    static func methodNotAllowed(takesForms: Bool) -> LoopbackResponse {
        .message(status: 405, headers: safe + [("Allow", takesForms ? "GET, POST" : "GET")])
    }

    /// The headers of every page; some of them keep the authorization code in the URL out of caches and of the `Referer` header.
    private static let safe = [
        ("Cache-Control", "no-store"),
        ("Referrer-Policy", "no-referrer"),
        ("X-Content-Type-Options", "nosniff"),
        ("Content-Security-Policy", policy),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Connection", "close"),
    ]
    private static let policy =
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
        + "frame-ancestors 'none'"

    private static func page(_ status: Int, _ symbol: String, title: String, text: String) -> LoopbackResponse {
        let color = ["✓": "#1a7f4b", "–": "#5b6470"][symbol] ?? "#b3541e"
        let html = HTMLText(
            page: title,
            style: """
                main { text-align: center; }
                .mark { display: grid; place-items: center; width: 3.5rem; height: 3.5rem; margin: 0 auto 1.25rem; color: #fff;
                  font-size: 1.6rem; font-weight: 700; background: \(color); border-radius: 50%; }
                """,
            symbol: "<div class=\"mark\" aria-hidden=\"true\">\(symbol)</div>",
            content: "<p>\(text)</p>"
        )
        return .message(
            status: status,
            headers: safe + [("Content-Type", "text/html; charset=utf-8")],
            body: Array(html.text.utf8)
        )
    }
}
