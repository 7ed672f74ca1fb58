extension SandboxFault {
    /// Redirects the browser after the logout with another `state`; nil removes `state`.
    ///
    /// It works at ``SandboxEndpoint/logout`` if the request has a `post_logout_redirect_uri`.
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
