internal import CIdentityOpenSSL

/// Overwrites bytes that nobody should find in memory afterwards.
///
/// The array must be the only one with these bytes: of one that is shared the other keeps them.
package func wipe(_ bytes: inout [UInt8]) {
    unsafe bytes.withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
}
