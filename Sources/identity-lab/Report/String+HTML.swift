internal import IdentityHTTP

extension StringProtocol {
    /// The text escaped for an HTML element or a quoted attribute.
    var html: String {
        let escaped: HTMLText = "\(printable)"
        return escaped.text
    }
}
