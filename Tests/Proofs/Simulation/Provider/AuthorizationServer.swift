internal import IdentityHTTP
internal import IdentityKit

/// The simulated providers: they rotate refresh tokens, and revoke the whole family when a used token arrives too late.
final class AuthorizationServer: @unchecked Sendable {
    private unowned let world: World
    private var families: [Family] = []
    private var subjects: [Int: Subject] = [:]

    init(_ world: World) {
        self.world = world
    }

    func addFamily(_ provider: ProviderName, of subject: String) -> Family {
        let family = Family(families.count + 1, provider, subject, at: world.scheduler.now)
        families.append(family)
        return family
    }

    func revoke(_ family: Family, because reason: String) {
        guard family.revokedBecause == nil else { return }
        family.revokedBecause = reason
        world.note("family \(family.number) is revoked: \(reason)")
    }

    /// Returns the family and the number of a token; nil for a token that was never issued.
    func find(_ token: String, prefix: String) -> (family: Family, number: Int)? {
        let parts = token.split(separator: ".")
        guard parts.count == 3, parts[0] == prefix, let family = Int(parts[1]), let number = Int(parts[2]),
            families.indices.contains(family - 1), (0...families[family - 1].newest).contains(number)
        else { return nil }
        return (families[family - 1], number)
    }

    private func subject(of family: Family) -> Subject? {
        world.subjects.first { $0.family === family }
    }

    func sent(_ token: String, by process: VirtualProcess, as clientID: String) -> Exchange? {
        guard let (family, _) = find(token, prefix: "rt") else {
            world.violate("p\(process.number) sends \(token), which was never issued")
            return nil
        }
        if family.provider.clientID != clientID {
            world.violate("p\(process.number) sends \(token) to the provider of \(clientID)")
        }
        let exchange = Exchange(process, token, at: world.scheduler.now)
        world.checkSend(exchange, of: subject(of: family))
        family.exchanges = family.exchanges.suffix(12) + [exchange]
        return exchange
    }

    /// Decides about a refresh token; returns the number of the new tokens, nil for `invalid_grant`.
    func present(_ exchange: Exchange) -> (family: Family, number: Int)? {
        guard let (family, number) = find(exchange.text, prefix: "rt") else { return nil }
        guard family.revokedBecause == nil else {
            family.refusals += 1
            return nil
        }
        if family.valid.contains(number) {
            checkPace(family)
            world.tally.rotations += 1
            return rotate(family, for: exchange, using: number)
        }
        // The exchange in which this token was used before.
        let used = family.used[number]
        let earlier = family.exchanges.last { $0.rotatedTo != nil && $0.rotatedTo == used?.successor }
        world.checkReplay(exchange, of: subject(of: family), usedBy: earlier)
        if let used, world.episode.reuse == .repeats, family.valid.contains(used.successor) {
            world.tally.replays += 1
            exchange.rotatedTo = used.successor
            // The repeated response states the lifetime of its access token again.
            family.refreshAccess(of: used.successor, at: world.scheduler.now)
            return (family, used.successor)
        }
        if let used, let grace, world.scheduler.now - used.at < grace {
            world.tally.replays += 1
            return rotate(family, for: exchange, using: number)
        }
        let cause = world.causeOfLoss(exchange, usedBy: earlier)
        if world.episode.profile == .quickRepair {
            world.violate(
                "family \(family.number) is lost (\(cause)) although the repair was quicker than the grace period"
            )
        }
        revoke(family, because: cause)
        family.refusals += 1
        return nil
    }

    private var grace: Duration? {
        switch world.episode.reuse {
        case .grace30: .seconds(30)
        case .grace600: .seconds(600)
        case .revokes, .repeats: nil
        }
    }

    private func rotate(_ family: Family, for exchange: Exchange, using number: Int) -> (Family, Int) {
        let made = family.rotate(number, at: world.scheduler.now)
        exchange.rotatedTo = made
        return (family, made)
    }

    /// Checks that without faults and forced refreshes a token is refreshed once in its lifetime, and not before it is due.
    private func checkPace(_ family: Family) {
        let age = world.scheduler.now - family.refreshedAt
        let lifetime = world.episode.lifetime
        // Callers request at most a minute of validity, and early refreshes do not happen in the first two thirds.
        guard world.episode.profile == .noFaults, age < min(lifetime * 2 / 3, lifetime - .seconds(62)),
            let subject = subject(of: family), subject.lastForcedRefresh.map({ $0 < family.refreshedAt }) ?? true
        else { return }
        world.violate("\(world.name(subject.id)) was refreshed twice for one expiry, \(age) after the last time")
    }

    /// Records that the client got no usable response to an exchange.
    func leftInDoubt(_ exchange: Exchange) {
        guard let (family, _) = find(exchange.text, prefix: "rt") else { return }
        family.isInDoubt = true
        world.tally.inDoubt += 1
    }

    func processCrashed(_ process: VirtualProcess) {
        for family in families {
            let hit = family.exchanges.contains {
                $0.process === process && $0.rotatedTo.map(family.valid.contains) ?? false && $0.state != .failed
            }
            guard hit, family.revokedBecause == nil, let subject = subject(of: family) else { continue }
            let row = world.disk.rows[subject.id]
            guard row != nil, !family.isUsable(in: row), !world.disk.hasSpooled(family, subject.id) else { continue }
            family.isInDoubt = true
            world.tally.inDoubt += 1
            world.tally.crashesInTheGap += 1
        }
    }

    func revokeToken(_ token: String) {
        if let (family, _) = find(token, prefix: "rt") ?? find(token, prefix: "at") {
            revoke(family, because: "logout")
        }
    }
}
