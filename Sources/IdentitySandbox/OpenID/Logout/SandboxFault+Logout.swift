extension SandboxFault {
    /// Replaces `state` in the redirect after a logout; nil removes `state`.
    ///
    /// Plan this fault for ``SandboxEndpoint/logout``. The fault has an effect only if the logout redirects the browser to the app.
    public static func logoutState(_ state: String?) -> SandboxFault {
        .edit { response in
            guard let index = response.headers.firstIndex(where: { $0.name == "Location" }) else { return }
            let parts = response.headers[index].value.split(separator: "?", maxSplits: 1).map(String.init)
            var fields = parts.count > 1 ? FormText.decode(Array(parts[1].utf8)) ?? [] : []
            fields.removeAll { $0.name == "state" }
            if let state { fields.append((name: "state", value: state)) }
            response.headers[index].value = FormText.append(fields, to: parts.first ?? "")
        }
    }
}
