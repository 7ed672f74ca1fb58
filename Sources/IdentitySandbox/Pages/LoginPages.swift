internal import IdentityHTTP

enum LoginPages {
    static func email(_ login: HostedLogin, brand: String, action: String) -> String {
        PageLayout.page(
            brand: brand,
            title: "Sign in",
            """
            <p>Use any e-mail address. An unknown address creates a new buyer.</p>
            \(PageLayout.complaint(login.problem))
            <form method="post" action="\(action)">
            <label for="email">E-mail address</label>
            <input id="email" name="email" type="email" autocomplete="email" required maxlength="254" autofocus placeholder="ada@example.com"\(PageLayout.described(login.problem)) \
            value="\(login.email ?? login.loginHint ?? "")">
            <button name="action" value="continue">Continue</button>
            <button class="plain" name="action" value="cancel" formnovalidate>Cancel</button>
            </form>
            \(footer(login))
            """
        )
    }

    static func oneTimeCode(_ login: HostedLogin, brand: String, action: String) -> String {
        PageLayout.page(
            brand: brand,
            title: "Enter your code",
            """
            <p>A real provider would send a code to <strong>\(login.email ?? "")</strong>.</p>
            <div class="mail">The sandbox sends no e-mail. Your code is:
            <output data-sandbox-code="\(login.oneTimeCode ?? "")">\(login.oneTimeCode ?? "")</output></div>
            \(PageLayout.complaint(login.problem))
            <form method="post" action="\(action)">
            <label for="code">Six-digit code</label>
            <input id="code" class="code" name="code" inputmode="numeric" autocomplete="one-time-code" required \
            pattern="[0-9]{6}" maxlength="6" autofocus\(PageLayout.described(login.problem))>
            <button name="action" value="continue">Sign in</button>
            <button class="plain" name="action" value="back" formnovalidate>Use another address</button>
            <button class="plain" name="action" value="cancel" formnovalidate>Cancel</button>
            </form>
            \(footer(login))
            """
        )
    }

    static func consent(_ login: HostedLogin, brand: String, action: String) -> String {
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

    private static let parameterNames = [
        "locale": "Language", "ui_locales": "Language", "region_country": "Country", "acr_values": "Method",
    ]

    private static func footer(_ login: HostedLogin) -> HTMLText {
        var rows: [HTMLText] = ["<dt>App</dt><dd>\(HTMLText(breaking: login.clientID))</dd>"]
        rows.append("<dt>Requested scopes</dt><dd>\(HTMLText(breaking: login.scopes.joined(separator: " ")))</dd>")
        for (name, value) in login.displayedParameters {
            rows.append("<dt>\(parameterNames[name] ?? name)</dt><dd>\(value)</dd>")
        }
        return "<footer><dl>\(HTMLText(joining: rows))</dl></footer>"
    }
}
