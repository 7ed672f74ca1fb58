package import IdentityKit

extension IdentityError {
    /// Returns this error with a hint that refers to `page` instead of the page about the configuration file.
    ///
    /// If the message begins with "Configuration member", `subject` replaces these words.
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
