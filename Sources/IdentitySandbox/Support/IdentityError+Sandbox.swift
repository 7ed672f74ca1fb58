package import IdentityKit

extension IdentityError {
    /// The error of a configuration section that is not part of the main configuration file, whose page it refers to.
    ///
    /// - Parameters:
    ///   - page: Where the members are described.
    ///   - subject: What the message calls a member.
    /// - Returns: The error with another hint.
    package func referring(to page: String, subject: String = "Configuration member") -> IdentityError {
        let usual = "Configuration member"
        let text = message.hasPrefix(usual) ? subject + message.dropFirst(usual.count) : message
        let known = (hint ?? "").split(separator: " See ").first.map(String.init) ?? ""
        return IdentityError(kind, code, text, hint: (known.hasPrefix("Known") ? known + " " : "") + "See \(page).")
    }
}
