/// How many rows each tenant got since they were last counted.
///
/// Counting reads all of a tenant's index, so large numbers are counted only now and then: other processes may exceed a limit by a
/// hundredth each. Up to 127 it is exact.
package struct TenantRoom: Sendable {
    private static let maximumTenants = 1_024

    // By bytes: two tenants that are canonically equivalent are two.
    private var added: [[UInt8]: Int] = [:]

    package init() {}

    /// Makes note of a row to come, and tells whether the tenant's have to be counted before.
    package mutating func mustCount(_ tenant: String, _ maximum: Int) -> Bool {
        let name = Array(tenant.utf8)
        if let count = added[name], count < maximum / 128 {
            added[name] = count + 1
            return false
        }
        if added.count >= Self.maximumTenants { added.removeAll() }
        added[name] = 1
        return true
    }

    /// Takes back what was noted last: there was no room.
    package mutating func refuse(_ tenant: String) {
        added[Array(tenant.utf8)] = nil
    }
}
