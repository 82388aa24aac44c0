-- What is known of the e-invoice that a document was read from.
alter table documents add column einvoice json;
