internal import IdentityHTTP

/// The page of `prompt=consent`: the buyer is signed in and decides about the app.
enum ConsentPage {
    static func page(_ login: HostedLogin, brand: String, action: String) -> String {
        PageLayout.page(
            brand: brand,
            title: "Allow access?",
            """
            <p><strong>\(login.clientID)</strong> asks for: \(login.scopes.joined(separator: " "))</p>
            <form method="post" action="\(action)">
            <button name="action" value="continue">Allow</button>
            <button class="plain" name="action" value="cancel">Refuse</button>
            </form>
            """
        )
    }
}
