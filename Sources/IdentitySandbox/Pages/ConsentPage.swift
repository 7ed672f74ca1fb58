internal import IdentityHTTP

/// The page of `prompt=consent`, on which the signed-in buyer allows or refuses the app's access.
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
