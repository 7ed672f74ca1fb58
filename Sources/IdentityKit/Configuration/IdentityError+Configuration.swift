extension IdentityError {
    package static let httpsHint =
        "Use https. For tests on one machine, set allowsLoopbackHTTP to permit http to loopback addresses such as 127.0.0.1 and [::1]."

    package static func invalidMember(
        _ member: String,
        ofProvider provider: String,
        _ problem: String,
        hint: String,
        reference: String? = nil
    ) -> IdentityError {
        IdentityError(
            configuration: "Configuration member providers.\(provider).\(member) \(problem).",
            hint: hint,
            reference: reference
        )
    }
}
