package import IdentityKit

extension IdentityError {
    /// Returns this error with a reference to `page` instead of the page about the configuration file.
    ///
    /// - Parameters:
    ///   - page: The page that describes the members.
    ///   - subject: The words that replace "Configuration member" at the beginning of the message.
    /// - Returns: The error with `subject` in the message, and with the reference to `page` at the end of the hint.
    package func referring(to page: String, subject: String = "Configuration member") -> IdentityError {
        let usual = "Configuration member"
        let text = message.hasPrefix(usual) ? subject + message.dropFirst(usual.count) : message
        var advice = hint ?? ""
        if advice.hasSuffix(ConfigurationSection.pageReference) {
            advice.removeLast(ConfigurationSection.pageReference.count)
        } else if !advice.isEmpty {
            advice += " "
        }
        return IdentityError(kind, code, text, hint: advice + "See \(page).")
    }
}
