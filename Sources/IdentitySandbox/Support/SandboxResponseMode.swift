/// How an authorization response reaches the app.
enum SandboxResponseMode: String, Sendable {
    case query
    case fragment
    case form = "form_post"
}
