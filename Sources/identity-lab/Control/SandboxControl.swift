internal import FoundationEssentials
internal import IdentityKit
internal import IdentitySandbox
internal import StorefrontSandbox

/// Runs commands for a running sandbox; the control port of `sandbox` and the page of `serve` send these commands.
struct SandboxControl: Sendable {
    private enum Provider: String, CaseIterable {
        case shopify, bolt, openid
        case sfcc = "bolt-sfcc"
    }

    let sandbox: ShopSandbox
    let clock: AdjustableClock

    /// Runs a command with the members of its JSON object, which ``ControlCommand/members`` lists.
    ///
    /// Returns the members that the response contains besides the command's name.
    func run(_ command: ControlCommand, _ members: JSONObject) async throws(IdentityError) -> JSONObject {
        do throws(IdentityError) {
            var section = ConfigurationSection(path: "", object: members, environmentVariables: [:])
            try section.check(members: command.members.map(\.name))
            return try await perform(command, &section)
        } catch {
            throw error.referring(to: "\"The control port\" in Documentation/Using/Sandbox.md", subject: "Member")
        }
    }

    private func perform(
        _ command: ControlCommand,
        _ section: inout ConfigurationSection
    ) async throws(IdentityError) -> JSONObject {
        switch command {
        case .advanceClock:
            clock.advance(by: .seconds(try section.integer("seconds", in: 1...31_536_000)))
            return ["now": .string(clock.now.rfc3339)]
        case .endSessions:
            let email = try section.string("email")
            try check(email, section)
            for server in try servers(&section) { await server.endSessions(ofBuyer: email) }
        case .expireAccessTokens: for server in try servers(&section) { server.expireAccessTokens() }
        case .setAccessTokenLifetime:
            let lifetime = Duration.seconds(try section.integer("seconds", in: 1...31_536_000))
            for server in try servers(&section) { server.setAccessTokenLifetime(lifetime) }
        case .revokeTokens:
            let email = try section.optionalString("email")
            if let email { try check(email, section) }
            for server in try servers(&section) {
                if let email { server.revokeTokens(ofBuyer: email) } else { server.revokeAll() }
            }
        case .rotateKeys:
            let keepsOld = try section.bool("keepOld", default: true)
            for server in try servers(&section) { server.rotateSigningKey(keepingOld: keepsOld) }
        case .planFault: try planFault(&section)
        case .removeFaults:
            for service in try services(&section, or: [sandbox.storefront]) { service.removeAllFaults() }
        case .setOrder: try setOrder(&section)
        }
        return [:]
    }

    private func planFault(_ section: inout ConfigurationSection) throws(IdentityError) {
        guard let fault: ControlFault = try section.optionalChoice("fault") else {
            throw section.error("fault", "is missing")
        }
        let times = try section.optionalInteger("times", in: 1...1000) ?? 1
        guard fault.isOfTheShop else { return fault.plan(at: try services(&section, or: []), times: times) }
        guard try section.optionalString("provider") == nil else {
            throw section.error("provider", "cannot be combined with a fault of the shop")
        }
        fault.plan(at: [sandbox.storefront], times: times)
    }

    private func setOrder(_ section: inout ConfigurationSection) throws(IdentityError) {
        sandbox.customers.setOrder(
            try section.integer("number", in: 1...999_999_999),
            for: try section.string("email"),
            financialStatus: try section.status("financialStatus", SandboxCustomers.financialStatuses),
            fulfillmentStatus: try section.status("fulfillmentStatus", SandboxCustomers.fulfillmentStatuses),
            isCancelled: section.memberNames.contains("cancelled") ? try section.bool("cancelled", default: false) : nil
        )
    }

    // MARK: Members

    /// Throws an error if no buyer has the address, because the sandbox itself ignores an unknown address.
    private func check(_ email: String, _ section: ConfigurationSection) throws(IdentityError) {
        guard sandbox.shopify.directory.existingBuyer(email: email) != nil else {
            throw section.error("email", "is not the e-mail address of a buyer of the sandbox")
        }
    }

    /// Returns the provider that the command names, or all providers that issue refresh tokens.
    private func servers(
        _ section: inout ConfigurationSection
    ) throws(IdentityError) -> [any SandboxAuthorizationServer] {
        let servers = try services(&section, or: []).compactMap { $0 as? any SandboxAuthorizationServer }
        guard !servers.isEmpty else { throw section.error("provider", "must be one of shopify, bolt, openid") }
        return servers
    }

    /// Returns the provider that the command names, or all providers and `others`.
    private func services(
        _ section: inout ConfigurationSection,
        or others: [any SandboxService]
    ) throws(IdentityError) -> [any SandboxService] {
        let provider: Provider? = try section.optionalChoice("provider")
        return switch provider {
        case nil: [sandbox.shopify, sandbox.bolt, sandbox.openID, sandbox.sfcc] + others
        case .shopify: [sandbox.shopify]
        case .bolt: [sandbox.bolt]
        case .openid: [sandbox.openID]
        case .sfcc: [sandbox.sfcc]
        }
    }
}

extension ConfigurationSection {
    fileprivate mutating func integer(_ name: String, in range: ClosedRange<Int>) throws(IdentityError) -> Int {
        guard let number = try optionalInteger(name, in: range) else { throw error(name, "is missing") }
        return number
    }

    fileprivate mutating func status(_ name: String, _ values: [String]) throws(IdentityError) -> String? {
        guard let text = try optionalString(name) else { return nil }
        guard values.contains(where: { $0.isIdentical(to: text) }) else {
            throw error(name, "must be one of \(values.joined(separator: ", "))")
        }
        return text
    }
}
