internal import IdentityHTTP

enum LogoutPage {
    private static let brand = "OpenID"

    /// Returns the page that asks the buyer whether to sign out; its form posts `confirmation`, the token of the pending logout.
    static func question(confirmation: String) -> String {
        PageLayout.page(
            brand: brand,
            title: "Sign out?",
            """
            <p>An app asks to sign you out here too.</p>
            <form method="post" action="/logout">
            <input type="hidden" name="confirmation" value="\(confirmation)">
            <button name="action" value="continue">Sign out</button>
            <button class="plain" name="action" value="cancel">Stay signed in</button>
            </form>
            """
        )
    }

    static func stayed() -> String {
        PageLayout.page(brand: brand, title: "You are still signed in", "<p>You can close this page.</p>")
    }
}
