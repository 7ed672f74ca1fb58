internal import IdentityKit

/// Decides whether a process must count a tenant's rows in the database before it adds a row, to enforce the tenant's maximum.
///
/// If a tenant has many rows, counting them is slow. So a process adds up to `maximum / 128` rows before it counts again. If the maximum is
/// less than 256, the process counts before each new row.
package struct TenantRowCounter: Sendable {
    private static let maximumTenants = 1_024

    /// The number of rows that this process has added for each tenant since it last counted the tenant's rows.
    private var added: [ByteKey: Int] = [:]

    package init() {}

    /// Notes that a row is about to be added, and returns whether the tenant's rows must be counted first.
    package mutating func addRow(of tenant: String, limit maximum: Int) -> Bool {
        let name = ByteKey(tenant)
        if let count = added[name], count < maximum / 128 {
            added[name] = count + 1
            return false
        }
        if added.count >= Self.maximumTenants { added.removeAll() }
        added[name] = 1
        return true
    }

    /// Forgets a tenant after a row was refused, so that the tenant's rows are counted again before the next row is added.
    package mutating func removeRow(of tenant: String) {
        added[ByteKey(tenant)] = nil
    }
}
