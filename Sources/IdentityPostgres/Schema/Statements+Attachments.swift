#if PostgreSQL
internal import IdentityStoreKit

extension Statements {
    /// Adds an attachment if its session exists; the statement waits while another transaction is removing the session.
    var insertAttachment: Statement {
        statement(
            [.integer, .bytes, .integer, .bytes, .integer, .bytes],
            """
            INSERT INTO §attachment (key, hash, session, revision, slot)
            SELECT $1, $2, key, $5, $6 FROM §session WHERE key = $3 AND hash = $4 FOR KEY SHARE
            ON CONFLICT (key) DO NOTHING
            """
        )
    }
    var readAttachment: Statement {
        statement([.integer], "SELECT \(SealedRow.Kind.attachment.columns) FROM §attachment WHERE key = $1")
    }
    /// Reads the next attachments of a session; waits while another transaction replaces one of them, and returns the new attachment.
    var readAttachments: Statement {
        statement(
            [.integer, .integer, .integer],
            """
            SELECT \(SealedRow.Kind.attachment.columns) FROM §attachment WHERE session = $1 AND key > $2
            ORDER BY key LIMIT $3 FOR UPDATE
            """
        )
    }
    var replaceAttachment: Statement {
        statement(
            [.integer, .bytes, .integer, .integer, .bytes],
            "UPDATE §attachment SET revision = $4, slot = $5 WHERE key = $1 AND hash = $2 AND revision = $3"
        )
    }
    var deleteAttachment: Statement {
        statement(
            [.integer, .bytes, .integer],
            "DELETE FROM §attachment WHERE key = $1 AND hash = $2 AND revision = $3"
        )
    }
    var hasSession: Statement {
        statement([.integer], "SELECT hash FROM §session WHERE key = $1")
    }
}
#endif
