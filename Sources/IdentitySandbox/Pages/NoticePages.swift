internal import IdentityHTTP

/// The final pages of a login or a logout.
package enum NoticePages {
    /// The provider's error page, for a request that gets no redirect.
    static func refusal(brand: String, _ reason: String, hint: String) -> String {
        error(
            brand: brand,
            reason,
            hint: hint,
            note: "The real provider shows no explanation here, and the app gets no callback either."
        )
    }

    /// Returns an error page.
    package static func error(brand: String, _ reason: String, hint: String, note: String = "") -> String {
        PageLayout.page(
            brand: brand,
            title: "Something went wrong",
            """
            <p class="error" role="alert">\(reason)</p>
            <p>\(hint)</p>
            <p class="note">\(note)</p>
            """
        )
    }

    /// The response to a form whose action is the value of no button: an unknown action must not count as approval.
    static func unknownAction(brand: String) -> SandboxResponse {
        let hint = "Go back, and press a button of the page."
        return .html(error(brand: brand, "The form has no known action.", hint: hint), status: 400)
    }

    static func signedOut(brand: String) -> String {
        PageLayout.page(
            brand: brand,
            title: "You are signed out",
            "<p>You can close this page.</p>"
        )
    }

    /// The last page of a login without a redirect URI; it shows the callback parameters, which contain the code.
    static func finished(brand: String, callback: String) -> String {
        PageLayout.page(
            brand: brand,
            title: "You are signed in",
            "<p>No redirect URI is registered. An app would now receive:</p><p><code>\(callback)</code></p>"
        )
    }

    /// The page with status 403 that a request without `User-Agent` gets.
    package static func accessDenied(brand: String) -> String {
        PageLayout.page(
            brand: brand,
            title: "Access denied",
            "<p>You do not have permission to access this website.</p>"
        )
    }
}
