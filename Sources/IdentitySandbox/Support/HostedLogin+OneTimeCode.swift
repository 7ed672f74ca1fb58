extension HostedLogin {
    /// The number of wrong one-time codes after which a login ends.
    static let maximumFailures = 5

    /// Creates the one-time code for an e-mail address and continues with its page; an invalid address sets `problem` instead.
    mutating func sendOneTimeCode(to email: String) {
        let parts = email.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), email.utf8.count <= 254 else {
            problem = "Please enter a valid e-mail address."
            return
        }
        self.email = email
        oneTimeCode = RandomText.digits(6)
        step = .oneTimeCode
        problem = nil
    }

    /// Returns the login's e-mail address if `code` is its one-time code; otherwise counts a failure and returns nil.
    mutating func email(provedBy code: String?) -> String? {
        if let oneTimeCode, code == oneTimeCode, let email { return email }
        failures += 1
        problem = "That code is not right. Please try again."
        return nil
    }
}
