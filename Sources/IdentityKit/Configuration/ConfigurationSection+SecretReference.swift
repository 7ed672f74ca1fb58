internal import IdentityHTTP

extension ConfigurationSection {
    func secret(_ value: JSONValue, _ name: String) throws(IdentityError) -> Secret {
        guard let reference = value.object, reference.members.count == 1, let member = reference.members.first,
            let target = member.value.string, !target.isEmpty
        else {
            throw error(
                name,
                "is not a reference to a secret",
                hint: """
                    Write { "env": "NAME" } or { "file": "path" }. Do not write the secret itself into the configuration file.
                    """
            )
        }
        switch member.name {
        case "env":
            guard let text = environmentVariables[target], !text.isEmpty else {
                // The operator may have written the secret itself instead of a variable's name. Errors are logged, so the error shows the
                // text only if it looks like a name.
                let isName = target.utf8.allSatisfy {
                    ASCII.isDigit($0) || (0x41...0x5A).contains($0) || $0 == UInt8(ascii: "_")
                }
                if isName {
                    let problem = "names the environment variable \(target), which is not set or is empty"
                    throw error(name, problem, hint: "Set \(target) in the environment of the process.")
                }
                throw error(
                    name,
                    "names an environment variable that is not set or is empty",
                    hint: """
                        If the text after "env" is the secret itself, write the name of an environment variable instead. Otherwise set \
                        the variable in the environment of the process. An error shows the variable's name only if the name consists of \
                        capital letters, digits and underscores.
                        """
                )
            }
            return Secret(text)
        case "file":
            do {
                return try SecretFile.read(target)
            } catch {
                throw self.error(name, "names a secret file that cannot be used: \(error.reason)", hint: error.hint)
            }
        default:
            throw error(
                "\(name).\(member.name)",
                "is not known",
                hint: "Write { \"env\": \"NAME\" } or { \"file\": \"path\" }."
            )
        }
    }
}
