/// The callback that a browser sends to the app's redirect URI.
public struct SandboxCallback: Sendable {
    /// The URL, byte for byte as the provider sent it.
    public let url: String
    /// The posted form with `response_mode=form_post`; nil for a redirect, whose parameters are in the URL.
    public let body: [UInt8]?

    /// The URL with the fields of the form as its query, for code that reads only a URL.
    public var urlWithFields: String {
        guard let body else { return url }
        return FormText.append(FormText.decode(body) ?? [], to: url)
    }
}
