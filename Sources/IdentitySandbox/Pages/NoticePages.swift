package import IdentityHTTP

package enum NoticePages {
    /// The provider's error page for an authorization or logout request whose error is not sent to the app.
    static func refusal(brand: String, _ reason: String, hint: String) -> SandboxResponse {
        let note: HTMLText =
            "<p class=\"note\">The real provider shows no explanation here, and the app gets no callback either.</p>"
        return error(brand: brand, reason, hint: hint, status: 400, note)
    }

    package static func error(
        brand: String,
        _ reason: String,
        hint: String,
        status: Int,
        _ content: HTMLText = ""
    ) -> SandboxResponse {
        let page = PageLayout.page(
            brand: brand,
            title: "Something went wrong",
            """
            <p class="error" role="alert">\(reason)</p>
            <p>\(hint)</p>
            \(content)
            """
        )
        return .html(page, status: status)
    }

    /// The error page for a form whose `action` is not the value of a button, so that an unknown action does not count as approval.
    static func unknownAction(brand: String) -> SandboxResponse {
        let hint = "Go back, and press a button of the page."
        return error(brand: brand, "The form's action is missing or unknown.", hint: hint, status: 400)
    }

    static func signedOut(brand: String) -> String {
        PageLayout.page(brand: brand, title: "You are signed out", "<p>You can close this page.</p>")
    }

    /// Bolt's last page of a login without a redirect URI; it shows the callback parameters, which contain the code.
    static func finished(callback: String) -> String {
        PageLayout.page(
            brand: "Bolt",
            title: "You are signed in",
            "<p>No redirect URI is registered. An app would now receive:</p><p><code>\(callback)</code></p>"
        )
    }

    /// Shopify's page for a blocked request, for example a request without `User-Agent`.
    package static func accessDenied(status: Int = 403) -> SandboxResponse {
        let content: HTMLText = "<p>You do not have permission to access this website.</p>"
        return .html(PageLayout.page(brand: "Shopify", title: "Access denied", content), status: status)
    }
}
