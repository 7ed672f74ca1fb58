internal import CIdentityOpenSSL

/// Overwrites secret bytes in memory.
///
/// The array must not share its storage with another array. Otherwise Swift copies the storage first, and the other array keeps the bytes.
package func wipe(_ bytes: inout [UInt8]) {
    unsafe bytes.withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
}
