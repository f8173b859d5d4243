// Maps errors of node:http's parser to the errors that clients receive.
import { AppError } from '../errors.ts';
import { incompleteRequest } from './exchange.ts';
import { isInTarget, targetTooLong } from './request-target.ts';

/** The client's error for an error of node:http. */
export function toParserRefusal(
  error: NodeJS.ErrnoException & { readonly reason?: string; readonly rawPacket?: Buffer },
): AppError {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      if (isInTarget(error.rawPacket)) return targetTooLong();
      return new AppError(
        'header_fields_too_large',
        'The path and the headers are too large. Together they can have at most 16 kB.',
      );
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new AppError(
        'payload_too_large',
        'The chunk extensions are too large. They can have at most 16 kB.',
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new AppError('request_timeout', 'The request took too long to arrive.');
    case 'HPE_INVALID_EOF_STATE':
      return incompleteRequest();
    default:
      // The parser's reasons are fixed texts. An error without a reason is a connection error.
      return error.reason === undefined
        ? incompleteRequest()
        : new AppError('bad_request', `The request could not be read. ${error.reason}.`);
  }
}
