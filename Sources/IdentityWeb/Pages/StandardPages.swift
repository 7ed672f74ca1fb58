internal import IdentityKit

/// Plain, accessible pages in English, without scripts and without content of other sites.
public struct StandardPages: SignInPages {
    /// Creates the pages.
    public init() {}

    /// The whole page.
    public func html(for page: SignInPage) -> String {
        let (title, text, action) = parts(of: page)
        let support: Markup =
            page.correlationID.map { "<p class=\"support\">If you contact us, mention <code>\($0)</code>.</p>" } ?? ""
        let html: Markup = """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <link rel="icon" href="data:,">
            <title>\(title)</title>
            <style>
            body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: light-dark(#f3f4f6, #14171b);
              color: light-dark(#1b1f24, #e8eaed); font: 1rem/1.5 system-ui, sans-serif; }
            main { box-sizing: border-box; width: min(26rem, 100vw - 2rem); padding: 2.5rem 2rem;
              background: light-dark(#fff, #1d2126); border: 1px solid light-dark(#dfe3e8, #2f353c); border-radius: 1rem; }
            h1 { margin: 0 0 .5rem; font-size: 1.35rem; line-height: 1.3; }
            p { margin: 0 0 1rem; color: light-dark(#55606c, #a9b2bc); overflow-wrap: anywhere; }
            .support { margin: 1rem 0 0; font-size: .875rem; }
            .button { display: block; box-sizing: border-box; width: 100%; margin: .5rem 0 0; padding: .75rem 1rem; font: inherit;
              font-weight: 600; text-align: center; text-decoration: none; color: #fff; background: #1f5fbf; border: 0;
              border-radius: .5rem; cursor: pointer; }
            .button:focus-visible { outline: 3px solid light-dark(#1b1f24, #e8eaed); outline-offset: 2px; }
            </style>
            <main><h1>\(title)</h1><p>\(text)</p>\(action)\(support)</main>
            </html>
            """
        return html.text
    }

    private func parts(of page: SignInPage) -> (title: String, text: String, action: Markup) {
        let again: Markup = "<a class=\"button\" href=\"\(page.signInLink)\">Sign in again</a>"
        let home: Markup = "<a class=\"button\" href=\"\(page.homeLink)\">Continue</a>"
        switch page.content {
        case .chooseProvider(let choices):
            let links = choices.map { choice -> Markup in
                "<a class=\"button\" href=\"\(choice.link)\">\(Self.name(of: choice))</a>"
            }
            return ("Sign in", "Choose how you want to sign in.", Markup(links))
        case .signInExpired:
            return ("This sign-in has expired", "It took too long, or it was already used. Please start again.", again)
        case .signInRefused:
            return ("You could not be signed in", "The sign-in was refused.", again)
        case .signInCancelled:
            return ("Sign-in cancelled", "You are not signed in.", Markup([again, home]))
        case .unavailable:
            return ("Please try again shortly", "The sign-in is not available at the moment.", again)
        case .tooManySignIns:
            return ("Please wait a moment", "There were too many sign-ins from your network.", again)
        case .signedOut:
            return ("You are signed out", "You can close this page.", home)
        case .confirmSignOut(let action, let fields):
            let inputs = fields.map { field -> Markup in
                "<input type=\"hidden\" name=\"\(field.name)\" value=\"\(field.value.reveal())\">"
            }
            let form: Markup =
                "<form method=\"post\" action=\"\(action)\">\(Markup(inputs))<button class=\"button\">Sign out</button></form>"
            return ("Sign out?", "Press the button to sign out.", form)
        case .notFound:
            return ("Page not found", "There is no page at this address.", home)
        case .failed:
            return ("Something went wrong", "This is our mistake. Please try again later.", home)
        }
    }

    private static func name(of choice: SignInPage.Choice) -> String {
        switch choice.kind {
        case "shopify": "Shopify"
        case "bolt", "bolt-sfcc": "Bolt"
        default: choice.provider
        }
    }
}
