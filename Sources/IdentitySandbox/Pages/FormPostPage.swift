internal import IdentityCrypto
internal import IdentityHTTP

/// The page of `response_mode=form_post`: it submits itself, and has a button for browsers without scripts.
enum FormPostPage {
    private static let script = "document.forms[0].submit()"

    static func response(action: String, _ fields: [(name: String, value: String)]) -> SandboxResponse {
        let inputs = fields.map { field -> HTMLText in
            "<input type=\"hidden\" name=\"\(field.name)\" value=\"\(field.value)\">"
        }
        let page = PageLayout.page(
            brand: "OpenID",
            title: "Back to the app",
            """
            <p>The browser sends the provider's response to <strong>\(action)</strong>.</p>
            <form method="post" action="\(action)">
            \(HTMLText(joining: inputs))
            <button>Continue to the app</button>
            </form>
            <script>\(HTMLText(stringLiteral: script))</script>
            """
        )
        // The page's Content-Security-Policy permits only this script, by its hash.
        let hash = (try? Digest.sha256(Array(script.utf8))).map(Base64.encode) ?? ""
        return .html(page, script: "'sha256-\(hash)'")
    }
}
