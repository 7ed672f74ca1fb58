internal import IdentityHTTP
internal import IdentityKit

/// All providers: they rotate refresh tokens, and revoke the whole family of one that comes again too late.
final class Authority: @unchecked Sendable {
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

    /// The family and the number of a token's text; nil for one that was never issued.
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

    /// A request leaves a process.
    func sent(_ token: String, by process: VirtualProcess, as clientID: String) -> Exchange? {
        guard let (family, _) = find(token, prefix: "rt") else {
            world.violate("p\(process.number) sends \(token), which nobody issued")
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

    /// The provider decides about a refresh token: the number of the tokens to answer with, nil for `invalid_grant`.
    func present(_ exchange: Exchange) -> (family: Family, number: Int)? {
        guard let (family, number) = find(exchange.text, prefix: "rt") else { return nil }
        guard family.revokedBecause == nil else {
            family.refusals += 1
            return nil
        }
        if family.good.contains(number) {
            checkPace(family)
            world.tally.rotations += 1
            return rotate(family, for: exchange, spending: number)
        }
        // Who has what this token was spent for, if anybody has.
        let spent = family.spent[number]
        let earlier = family.exchanges.last { $0.rotatedTo != nil && $0.rotatedTo == spent?.successor }
        world.checkReplay(exchange, of: subject(of: family), spentBy: earlier)
        if let spent, world.episode.reuse == .repeats, family.good.contains(spent.successor) {
            world.tally.replays += 1
            exchange.rotatedTo = spent.successor
            // The answer says again how long its access token lives, and may be believed.
            family.renewAccess(of: spent.successor, at: world.scheduler.now)
            return (family, spent.successor)
        }
        if let spent, let grace, world.scheduler.now - spent.at < grace {
            world.tally.replays += 1
            return rotate(family, for: exchange, spending: number)
        }
        let cause = world.causeOfLoss(exchange, spentBy: earlier)
        if world.episode.weather == .quickRepair {
            world.violate("family \(family.number) is lost (\(cause)) although repair was quicker than the grace")
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

    private func rotate(_ family: Family, for exchange: Exchange, spending number: Int) -> (Family, Int) {
        let made = family.rotate(number, at: world.scheduler.now)
        exchange.rotatedTo = made
        return (family, made)
    }

    /// Without faults and without anybody's demand a token is renewed once in its life, and not before it is due.
    private func checkPace(_ family: Family) {
        let age = world.scheduler.now - family.renewedAt
        let lifetime = world.episode.lifetime
        // Callers want a minute's validity at most, and nobody renews early in the first two thirds.
        guard world.episode.weather == .calm, age < min(lifetime * 2 / 3, lifetime - .seconds(62)),
            let subject = subject(of: family), subject.lastDemand.map({ $0 < family.renewedAt }) ?? true
        else { return }
        world.violate("\(world.name(subject.id)) was renewed twice for one expiry, \(age) after the last time")
    }

    /// An exchange came to nothing.
    func leftInDoubt(_ exchange: Exchange) {
        guard let (family, _) = find(exchange.text, prefix: "rt") else { return }
        family.isInDoubt = true
        world.tally.inDoubt += 1
    }

    func processDied(_ process: VirtualProcess) {
        for family in families {
            let hit = family.exchanges.contains {
                $0.process === process && $0.rotatedTo.map(family.good.contains) ?? false && $0.state != .failed
            }
            guard hit, family.revokedBecause == nil, let subject = subject(of: family) else { continue }
            let row = world.disk.rows[subject.id]
            guard row != nil, !family.isUsable(in: row), !world.disk.hasSpooled(family, subject.id) else { continue }
            family.isInDoubt = true
            world.tally.inDoubt += 1
            world.tally.crashesInTheGap += 1
        }
    }

    /// What an app gives back.
    func takeBack(_ token: String) {
        if let (family, _) = find(token, prefix: "rt") ?? find(token, prefix: "at") {
            revoke(family, because: "logout")
        }
    }
}
