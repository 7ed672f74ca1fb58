internal import IdentityHTTP

enum DevicePages {
    private static let brand = "OpenID"

    static func code(typed: String?, problem: String?) -> String {
        PageLayout.page(
            brand: brand,
            title: "Connect a device",
            """
            <p>Enter the code that your device shows.</p>
            \(PageLayout.complaint(problem))
            <form method="post" action="/device">
            <label for="user_code">Code</label>
            <input id="user_code" class="code" name="user_code" autocomplete="off" autocapitalize="characters" \
            spellcheck="false" required maxlength="32" autofocus\(PageLayout.described(problem)) value="\(typed ?? "")">
            <button name="action" value="continue">Continue</button>
            </form>
            """
        )
    }

    static func confirmation(_ device: DeviceAuthorizations.Authorization, action: String) -> String {
        PageLayout.page(
            brand: brand,
            title: "Sign in on your device?",
            """
            <p>Approve only if a device in your hands shows this code:</p>
            <div class="mail"><output>\(device.userCode)</output></div>
            <form method="post" action="\(action)">
            <button name="action" value="continue">Approve</button>
            <button class="plain" name="action" value="cancel">Refuse</button>
            </form>
            <footer><dl><dt>App</dt><dd>\(HTMLText(breaking: device.clientID))</dd><dt>Asks for</dt><dd>\(device.scopes.joined(separator: " "))</dd>\
            </dl></footer>
            """
        )
    }

    static func answered(isApproved: Bool) -> String {
        PageLayout.page(
            brand: brand,
            title: isApproved ? "Your device is connected" : "You refused",
            isApproved
                ? "<p>Continue on your device. You can close this page.</p>" : "<p>The device gets no access.</p>"
        )
    }
}
