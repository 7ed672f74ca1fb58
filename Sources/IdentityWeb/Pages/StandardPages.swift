internal import IdentityHTTP
internal import IdentityKit

/// Plain, accessible pages in English, without scripts and without content of other sites.
public struct StandardPages: SignInPages {
    /// Creates the pages.
    public init() {}

    /// Returns the HTML of a whole page.
    public func html(for page: SignInPage) -> String {
        let (title, action) = parts(of: page)
        let text = Self.sentence(for: page.content)
        let support: HTMLText =
            page.correlationID.map { "<p class=\"support\">If you contact us, mention <code>\($0)</code>.</p>" } ?? ""
        let html = HTMLText(
            page: title,
            style: """
                p { margin-bottom: 1rem; }
                .support { margin: 1rem 0 0; font-size: .875rem; }
                .button { display: block; box-sizing: border-box; width: 100%; margin: .5rem 0 0; padding: .75rem 1rem; font: inherit;
                  font-weight: 600; text-align: center; text-decoration: none; color: #fff; background: #1f5fbf; border: 0;
                  border-radius: .5rem; cursor: pointer; }
                .button:focus-visible { outline: 3px solid light-dark(#1b1f24, #e8eaed); outline-offset: 2px; }
                """,
            content: "<p>\(text)</p>\(action)\(support)"
        )
        return html.text
    }

    /// The sentence that the standard page with this content shows; an app can show the sentence on its own pages.
    public static func sentence(for content: SignInPage.Content) -> String {
        switch content {
        case .chooseProvider: "Choose how you want to sign in."
        case .signInExpired: "Please sign in again. If you see this page again, allow cookies in your browser."
        case .signInRefused: "The sign-in or the request was refused."
        case .requestRefused:
            "We could not confirm that you made this request on our site. Open our site in a new tab and try again."
        case .signInCancelled: "You did not sign in."
        case .unavailable: "The service is not available at the moment."
        case .tooManySignIns: "There were too many sign-ins from your network."
        case .signedOut: "You can close this page."
        case .confirmSignOut: "Press the button to sign out."
        case .notFound: "This page does not exist."
        case .failed: "This is our mistake. Please try again later."
        }
    }

    private func parts(of page: SignInPage) -> (title: String, action: HTMLText) {
        let again: HTMLText = "<a class=\"button\" href=\"\(page.signInLink)\">Sign in again</a>"
        let home: HTMLText = "<a class=\"button\" href=\"\(page.homeLink)\">Continue</a>"
        let both = HTMLText(joining: [again, home])
        switch page.content {
        case .chooseProvider(let choices):
            let links = choices.map { choice -> HTMLText in
                "<a class=\"button\" href=\"\(choice.link)\">\(choice.displayName)</a>"
            }
            return ("Sign in", HTMLText(joining: links))
        case .signInExpired: return ("This sign-in has expired", again)
        // A page of the app may have thrown the error for a buyer who is signed in, so this page also has a link to the home page.
        case .signInRefused: return ("That was not possible", both)
        case .unavailable: return ("Please try again later", both)
        case .requestRefused: return ("The request was refused", home)
        case .signInCancelled: return ("Sign-in cancelled", both)
        case .tooManySignIns: return ("Please wait a moment", again)
        case .signedOut: return ("You are signed out", home)
        case .confirmSignOut(let action, let fields):
            let inputs = fields.map { field -> HTMLText in
                "<input type=\"hidden\" name=\"\(field.name)\" value=\"\(field.value.reveal())\">"
            }
            let form: HTMLText =
                "<form method=\"post\" action=\"\(action)\">\(HTMLText(joining: inputs))<button class=\"button\">Sign out</button></form>"
            return ("Sign out?", form)
        case .notFound: return ("Page not found", home)
        // This page has a link to sign in, because a new sign-in replaces a session whose record cannot be read.
        case .failed: return ("Something went wrong", both)
        }
    }
}
