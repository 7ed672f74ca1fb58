internal import IdentityKit
internal import IdentityWeb

/// The pages of the sign-in in the look of the shop.
struct ShopPages: SignInPages {
    func html(for page: SignInPage) -> String {
        let (title, text, action) = parts(of: page)
        let support: Markup =
            page.correlationID.map { "<p class=\"support\">If you contact us, mention <code>\($0)</code>.</p>" }
            ?? .none
        let html: Markup = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <link rel="icon" href="data:,">
            <link rel="stylesheet" href="/style.css">
            <title>\(title)</title>
            </head>
            <body class="signin">
            <main><h1>\(title)</h1><p>\(text)</p>\(action)\(support)</main>
            </body>
            </html>
            """
        return html.html
    }

    private func parts(of page: SignInPage) -> (title: String, text: String, action: Markup) {
        let again: Markup = "<a class=\"button\" href=\"\(page.signInLink)\">Sign in</a>"
        let home: Markup = "<a class=\"button plain\" href=\"\(page.homeLink)\">Back to the shop</a>"
        let both: Markup = "\(again)\(home)"
        switch page.content {
        case .chooseProvider(let choices):
            let links = choices.map { choice -> Markup in
                "<a class=\"button\" href=\"\(choice.link)\">\(choice.displayName)</a>"
            }
            return ("Sign in", "How do you want to sign in?", "\(links)\(home)")
        case .signInExpired:
            return (
                "This sign-in has expired",
                "Please sign in again. If you see this page again, allow cookies in your browser.", both
            )
        case .signInRefused: return ("That was not possible", "The sign-in or the request was refused.", both)
        case .requestRefused:
            return ("That was not possible", "We cannot confirm that you sent this request. Please try again.", home)
        case .signInCancelled: return ("Sign-in cancelled", "You did not sign in. Your cart is still here.", both)
        case .unavailable:
            return ("Please try again later", "A service that we need is not available at the moment.", home)
        case .tooManySignIns: return ("Please wait a moment", "There were too many sign-ins from your network.", home)
        case .signedOut: return ("You are signed out", "See you soon.", home)
        case .confirmSignOut(let action, let fields):
            let inputs = fields.map { field -> Markup in
                "<input type=\"hidden\" name=\"\(field.name)\" value=\"\(field.value.reveal())\">"
            }
            return (
                "Sign out?", "Press the button to sign out.",
                "<form method=\"post\" action=\"\(action)\">\(inputs)<button>Sign out</button></form>\(home)"
            )
        case .notFound: return ("Not found", "There is no such page.", home)
        case .failed: return ("Something went wrong", "This is our mistake. Please try again later.", both)
        }
    }
}
