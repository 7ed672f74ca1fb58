internal import IdentityKit

/// The command-line options for parameters of the authorization request, which replace the configured defaults.
enum LoginRequest {
    static let options = [prompt, maximumAge, contexts, locales, hint, parameter]

    private static let prompt = Option(
        "--prompt VALUES",
        "OpenID Connect prompt, such as consent or \"login consent\"."
    )
    private static let maximumAge = Option(
        "--max-age SECONDS",
        "The longest time since the buyer authenticated at the provider; the ID token has to prove it."
    )
    private static let contexts = Option(
        "--acr-values VALUES",
        "The requested authentication contexts, in order of preference, separated by spaces."
    )
    private static let locales = Option(
        "--ui-locales TAGS",
        "The languages of the login page, separated by spaces, such as \"fr-CA fr\"."
    )
    private static let hint = Option("--login-hint TEXT", "The e-mail address or name to fill in on the login page.")
    private static let parameter = Option(
        "--parameter NAME=VALUE",
        repeats: true,
        "A further authorization parameter; may be given several times. Parameters of the protocol, such as state, are refused."
    )

    static func read(_ arguments: Arguments) throws(UsageError) -> LoginOptions {
        var options = LoginOptions()
        options.prompt = arguments[prompt]
        options.loginHint = arguments[hint]
        options.locale = arguments[locales]
        options.authenticationContexts = (arguments[contexts] ?? "").split(separator: " ").map(String.init)
        options.maximumAge = try arguments.seconds(maximumAge)
        for text in arguments.values(of: parameter) {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw UsageError("--parameter must have the form NAME=VALUE.")
            }
            options.additionalParameters.append((parts[0], parts[1]))
        }
        return options
    }
}
